//! Endpoints of grades.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::grades::*;
use crate::ids::GradeId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_grades_endpoint "grades";
    /// Lists grades; `is_archived` selects archived grades.
    ListGrades list_grades: GET "/api/v1/admin/grades" [ViewGrades|ManageGrades] ((), TableQuery, EmptyBody) -> Page<Grade>;
    /// Lists the grades that customers can have, lowest spending goal first.
    AvailableGrades available_grades: GET "/api/v1/admin/grades/available" [ViewGrades|ManageGrades|ManageGradesForUser] ((), EmptyQuery, EmptyBody) -> Data<Vec<AvailableGrade>>;
    /// Creates a grade.
    CreateGrade create_grade: POST "/api/v1/admin/grades" [ManageGrades] ((), EmptyQuery, GradeInput) -> Data<Grade>;
    /// Retrieves a grade.
    GetGrade get_grade: GET "/api/v1/admin/grades/{id}" [ViewGrades|ManageGrades] (GradeId, EmptyQuery, EmptyBody) -> Data<Grade>;
    /// Updates a grade. Absent fields keep their value.
    UpdateGrade update_grade: PATCH "/api/v1/admin/grades/{id}" [ManageGrades] (GradeId, EmptyQuery, GradeInput) -> Data<Grade>;
    /// Archives a grade that no customer has.
    ArchiveGrade archive_grade: POST "/api/v1/admin/grades/{id}/archive" [ManageGrades] (GradeId, DryRun, EmptyBody) -> Data<Grade>;
    /// Restores an archived grade.
    UnarchiveGrade unarchive_grade: POST "/api/v1/admin/grades/{id}/unarchive" [ManageGrades] (GradeId, DryRun, EmptyBody) -> Data<Grade>;
}
